/** Less than access tokens live, so that patients and administrators can go on afterwards. */
const turns = 20;

/**
 * Moves the server's clock on until its own job has ended every open charge. Each turn gives the job time on a busy machine, too.
 *
 * @param openCharges returns how many charges are open
 */
export async function settleCharges(
  server: { setClock(epochMs: number): Promise<void> },
  openCharges: () => Promise<number>,
): Promise<void> {
  if ((await openCharges()) === 0) return;
  for (let turn = 1; turn <= turns; turn += 1) {
    await server.setClock(Date.now() + turn * 25_000);
    for (const from = performance.now(); performance.now() - from < 400; ) {
      if ((await openCharges()) === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
