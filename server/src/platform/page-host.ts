import type { Context } from './context.ts';

/** The host of a company's pages, e.g. 'visits.example.com'. `frontEndUrl` '' = the installation's (PUBLIC_URL). */
export const pageHost = ({ publicUrl }: Pick<Context, 'publicUrl'>, frontEndUrl: string): string =>
  new URL(frontEndUrl || publicUrl).host;
