import type { ProblemCode } from '@roomside/contract/csv-import/problems.ts';
import type { Tx } from '../../platform/database/database.ts';
import { fold } from '../../platform/fold.ts';

/** A user whom a row may name. */
export interface FoundUser {
  readonly userId: number;
  /** Enabled, and sees patients. */
  readonly isProvider: boolean;
  /** The provider's fee, dollars; null = the clinic's. */
  readonly fee: string | null;
}

type Found = { readonly user: FoundUser } | { readonly problem: ProblemCode; readonly detail: number };

/** Finds the users of a company by an email or a name. */
export class Providers {
  readonly #byEmail: ReadonlyMap<string, readonly FoundUser[]>;
  readonly #byName: ReadonlyMap<string, readonly FoundUser[]>;

  private constructor(users: readonly (FoundUser & { readonly email: string; readonly name: string })[]) {
    this.#byEmail = Map.groupBy(users, ({ email }) => email.toLowerCase());
    this.#byName = Map.groupBy(users, ({ name }) => fold(name));
  }

  /** The users of a company. Row-level security shows no others. */
  static async read(tx: Tx, companyId: number): Promise<Providers> {
    const rows = await tx
      .selectFrom('users')
      .select(['user_id', 'role_id', 'disabled', 'first_name', 'last_name', 'email', 'self_pay_fee'])
      .where('company_id', '=', companyId)
      .execute();
    return new Providers(
      rows.map((row) => ({
        userId: row.user_id,
        isProvider: !row.disabled && (row.role_id === 'A' || row.role_id === 'D'),
        fee: row.self_pay_fee,
        email: row.email,
        name: `${row.first_name} ${row.last_name}`,
      })),
    );
  }

  /** Returns the user of an email, or of a name: of several, the one who sees patients. */
  find(text: string): Found {
    const email = /[^\s<>]+@[^\s<>]+/.exec(text)?.[0].toLowerCase();
    const found = email === undefined ? this.#named(text) : (this.#byEmail.get(email) ?? []);
    const providers = found.filter(({ isProvider }) => isProvider);
    const [user] = providers.length > 0 ? providers : found;
    if (!user) return { problem: 'provider-unknown', detail: 0 };
    return providers.length > 1 ? { problem: 'provider-several', detail: providers.length } : { user };
  }

  /** The name as it is written counts first: a title may be a last name, as Do is. */
  #named(text: string): readonly FoundUser[] {
    for (const name of withoutTitles(text)) {
      const [last = '', first = ''] = name.split(',').map((part) => part.trim());
      const found = this.#byName.get(fold(first === '' ? name : `${first} ${last}`));
      if (found) return found;
    }
    return [];
  }
}

const titleInFront = /^(?:dr|doctor|prof|professor|mr|mrs|ms|miss)\.?\s+/i;
const titleBehind =
  /(?:,\s*|\s+)(?:m\.?d|d\.?o|n\.?p|p\.?a(?:-c)?|ph\.?d|psy\.?d|r\.?n|dds|dpm|lcsw|lmft|lpc|fnp)\.?$/i;

/** A name as it is written, then with one title less each. */
function withoutTitles(text: string): ReadonlySet<string> {
  const names = new Set([text.trim().replace(/\s+/g, ' ')]);
  // A set yields what is added meanwhile.
  for (const name of names) for (const title of [titleInFront, titleBehind]) names.add(name.replace(title, '').trim());
  return names;
}
