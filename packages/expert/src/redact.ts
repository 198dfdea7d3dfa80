/** Removes a key from every message and reply: plain, base64 and URL-encoded. Servers and network errors echo keys. */

/** A function that replaces the key by `[key]`. */
export function keyHider(key: string | undefined): (text: string) => string {
  const forms = key === undefined ? [] : formsOf(key);
  return (text) => forms.reduce((rest, form) => rest.replaceAll(form, '[key]'), text);
}

/** A function that replaces the key by `[key]`, control characters by blanks, and cuts to 300 characters. */
export function redactor(key: string | undefined): (text: string) => string {
  const hide = keyHider(key);
  return (text) =>
    hide(text)
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim()
      .slice(0, 300);
}

function formsOf(key: string): readonly string[] {
  const bytes = Buffer.from(key);
  const forms = [key, encodeURIComponent(key), bytes.toString('base64'), bytes.toString('base64url')];
  // placeholders for servers without keys (`none`, `EMPTY`) would only blank out words
  return key.length < 8 ? [] : [...new Set(forms)];
}
