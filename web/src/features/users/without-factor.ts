/** In the address of the user list: shows users without a second factor only. */
export const withoutFactor = 'without=second-factor';
