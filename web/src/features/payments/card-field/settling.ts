/** How often the server is asked whether a payment of unknown result was made, ms. */
export const settleEveryMs = 3_000;
