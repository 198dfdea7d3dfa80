/** tiktoken for Node. In a browser's bundle `tiktoken.browser.ts` takes this place. */
export { get_encoding, get_encoding_name_for_model } from 'tiktoken';
