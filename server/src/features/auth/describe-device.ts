import ipaddr from 'ipaddr.js';

/** What is stored about the device of a sign-in: names of products and a part of the address, '' when unknown. */
export interface DeviceDescription {
  readonly browser: string;
  readonly system: string;
  readonly network: string;
}

/** The first that matches. Many browsers also name those that they are compatible with, so the order matters. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPiOS|OPX)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Headless)?(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*\bSafari\//, 'Safari'],
];
const systems: readonly (readonly [RegExp, string])[] = [
  [/\bWindows\b/, 'Windows'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
];

const firstOf = (names: readonly (readonly [RegExp, string])[], text: string) =>
  names.find(([pattern]) => pattern.test(text))?.[1] ?? '';

/** Describes a device by its user agent and address. Neither is stored itself: a person recognizes the device by less. */
export function describeDevice(userAgent: string | undefined, address: string): DeviceDescription {
  const text = (userAgent ?? '').slice(0, 500);
  return { browser: firstOf(browsers, text), system: firstOf(systems, text), network: shortened(address) };
}

/** The first half of an IPv4 address, or the /48 of an IPv6 address. */
function shortened(address: string): string {
  const bare = address.split('%')[0] ?? '';
  if (!ipaddr.isValid(bare)) return '';
  const parsed = ipaddr.process(bare);
  if (parsed instanceof ipaddr.IPv4) return [...parsed.octets.slice(0, 2), 'x', 'x'].join('.');
  return `${parsed.parts
    .slice(0, 3)
    .map((part) => part.toString(16))
    .join(':')}:…`;
}
