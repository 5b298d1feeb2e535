import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** How Playwright starts the browser. */
export interface BrowserLaunch {
  readonly executablePath: string;
  readonly env: Record<string, string>;
}

/** Chromium switches for calls without people, with their reasons. */
export const CALL_FLAGS: readonly string[] = [
  // Root in a container, no graphics card.
  '--no-sandbox',
  '--disable-gpu',
  // Nothing leaves the machine.
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Fake cameras and microphones without a prompt; the video of the second camera cannot be sent. Few frames per second, since two cores encode and decode all of them.
  '--use-fake-ui-for-media-stream',
  '--use-fake-device-for-media-stream=device-count=3,fps=5',
  // Sound of the other side may start without a gesture.
  '--autoplay-policy=no-user-gesture-required',
  // A machine with only loopback has no other candidates.
  '--allow-loopback-in-peer-connection',
];

/**
 * The browser: CHROME_PATH if set, else the one from npm, unpacked once per version with the shared libraries that a
 * minimal machine lacks.
 */
export function findChromium(): BrowserLaunch {
  const { CHROME_PATH, ...rest } = process.env;
  const env = Object.fromEntries(Object.entries(rest).flatMap(([name, value]) => (value ? [[name, value]] : [])));
  if (CHROME_PATH) return { executablePath: CHROME_PATH, env };
  const folder = unpack();
  const libraries = [path.join(folder, 'al2023/lib'), env['LD_LIBRARY_PATH']].filter(Boolean).join(':');
  env['LD_LIBRARY_PATH'] = libraries;
  if (!fs.existsSync('/etc/fonts/fonts.conf')) env['FONTCONFIG_PATH'] = path.join(folder, 'fonts');
  return { executablePath: path.join(folder, 'chromium'), env };
}

function unpack(): string {
  const module = fileURLToPath(import.meta.resolve('@sparticuz/chromium'));
  const root = path.dirname(path.dirname(module));
  const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
  const folder = path.join(path.dirname(path.dirname(root)), '.cache', `roomside-chromium-${version}`);
  if (fs.existsSync(folder)) return folder;
  const unfinished = `${folder}.${randomUUID()}`;
  fs.mkdirSync(unfinished, { recursive: true });
  // The package unpacks to the temporary folder and reuses any version there, so it gets a separate folder.
  const program = `
    const { default: chromium, inflate } = await import(${JSON.stringify(import.meta.resolve('@sparticuz/chromium'))});
    await chromium.executablePath(${JSON.stringify(path.join(root, 'bin'))});
    await inflate(${JSON.stringify(path.join(root, 'bin/al2023.tar.br'))});`;
  execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...process.env, TMPDIR: unfinished },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    fs.renameSync(unfinished, folder);
  } catch (error) {
    // Another run has unpacked it meanwhile.
    fs.rmSync(unfinished, { recursive: true });
    if (!fs.existsSync(folder)) throw error;
  }
  return folder;
}
