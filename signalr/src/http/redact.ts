const secrets = new Set(['access_token', 'id']);

/** Returns the URL without the values of `access_token` and `id`, which are secrets. Use it for every logged URL. */
export function redactUrl(url: string): string {
  const start = url.indexOf('?');
  if (start === -1) return url;
  const hash = url.indexOf('#', start);
  const query = url.slice(start + 1, hash === -1 ? undefined : hash);
  const pairs = query.split('&').map((pair) => {
    const equals = pair.indexOf('=');
    return equals !== -1 && secrets.has(nameOf(pair.slice(0, equals))) ? `${pair.slice(0, equals)}=REDACTED` : pair;
  });
  return `${url.slice(0, start)}?${pairs.join('&')}${hash === -1 ? '' : url.slice(hash)}`;
}

function nameOf(encoded: string): string {
  try {
    return decodeURIComponent(encoded).toLowerCase();
  } catch {
    return encoded.toLowerCase();
  }
}
