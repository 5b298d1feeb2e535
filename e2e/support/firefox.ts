import { spawnSync } from 'node:child_process';
import puppeteer, { type Browser } from 'puppeteer-core';

const program =
  ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find((one) => !spawnSync(one, ['--version']).error) ?? null;

export { program as firefoxProgram };

/** The installed Firefox by WebDriver BiDi: Playwright's would have to be downloaded, and it drives no other. */
export function openFirefox({ isCameraAllowed }: { isCameraAllowed: boolean }): Promise<Browser> {
  const permission = isCameraAllowed ? 1 : 2;
  return puppeteer.launch({
    browser: 'firefox',
    executablePath: program ?? 'firefox',
    headless: true,
    timeout: 120_000,
    extraPrefsFirefox: {
      // A moving color and a tone; 1 allows without asking, 2 refuses.
      'media.navigator.streams.fake': true,
      'permissions.default.camera': permission,
      'permissions.default.microphone': permission,
      'media.autoplay.default': 0,
    },
  });
}
