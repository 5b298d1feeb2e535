import { fold } from './fold.ts';

interface Named {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
}

/** What the search of users finds a user by: both orders of the name, and the email. Set it with each change of them. */
export const searchTextOf = ({ firstName, lastName, email }: Named): string =>
  fold(`${firstName} ${lastName} ${firstName} ${email}`);
