import type { Context } from './context.ts';

/**
 * Returns the address of a company's pages, with which all links in messages to its patients and users begin, without a trailing slash.
 *
 * @param frontEndUrl the company's; '' or null = the installation's (PUBLIC_URL)
 */
export const pageAddress = ({ publicUrl }: Pick<Context, 'publicUrl'>, frontEndUrl: string | null): string =>
  (frontEndUrl || publicUrl).replace(/\/+$/, '');

/** Returns the host of a company's pages, e.g. 'visits.example.com'; see {@link pageAddress}. */
export const pageHost = (context: Pick<Context, 'publicUrl'>, frontEndUrl: string | null): string =>
  new URL(pageAddress(context, frontEndUrl)).host;
