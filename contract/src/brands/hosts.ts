/** A host name or an IPv4 address, in ASCII: names in other scripts in their form with `xn--`. */
const hostName = /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/;

/** Returns the host name of a typed address, in lower case and without scheme, port and a final slash; '' when it is none. */
export function hostOf(typed: string): string {
  const host = typed
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/\/$/, '')
    .replace(/:\d{1,5}$/, '')
    .replace(/\.$/, '');
  return hostName.test(host) ? host : '';
}

/** Returns the host names of a text with commas, spaces or line breaks between, each once; one that is none stays as typed. */
export const hostsOf = (typed: string): string[] => [
  ...new Set(
    typed
      .split(/[\s,;]+/)
      .filter(Boolean)
      .map((one) => hostOf(one) || one),
  ),
];
