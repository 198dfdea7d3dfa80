export { buildSite } from './build/build-site.ts';
export type { SiteFile } from './build/build-site.ts';
export { serveSite } from './build/serve-site.ts';
export type { ServedSite } from './build/serve-site.ts';
export { siteCatalogue } from './build/site-catalogue.ts';
export type { Catalogue } from './page/catalogue.ts';
export { askedBy, collectedBy, commandOf, folderOf } from './page/choices.ts';
export type { Choice } from './page/choices.ts';
export type { Asked, FromTrainer, ToTrainer } from './tab/messages.ts';
