// Types only: an installation without tests builds the web too.
/// <reference types="vitest/config" />
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import react from '@vitejs/plugin-react';
import { defaultAllowedOrigins, defineConfig } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { documents } from '../contract/src/documents.ts';
import { isolatedFrames } from '../contract/src/isolated-frames.ts';
import { frames } from './frames.ts';
import { lazyImports } from './lazy-imports.ts';
import { precompress } from './precompress.ts';
import { preload } from './preload.ts';
import { withoutSummaries } from './without-summaries.ts';

/** Names the build by a hash of its sources, so that equal sources have equal names with or without Git (MENU-5). */
function buildHash(): string {
  const hash = createHash('sha256');
  const sources = ['src/**/*.{ts,tsx,css}', '../contract/src/**/*.ts', '*.html', '../package-lock.json'];
  for (const file of globSync(sources, { cwd: import.meta.dirname }).sort()) {
    hash.update(file).update(readFileSync(new URL(file, `file://${import.meta.dirname}/`)));
  }
  return hash.digest('hex').slice(0, 8);
}

/** The server for `vite dev`; the built web is served by the server itself. */
const server = process.env.DEV_SERVER ?? 'http://localhost:3000';
/** The server accepts only requests from its pages, so the proxy sets their origin. */
const target = { target: server, headers: { origin: server } };

export default defineConfig({
  root: import.meta.dirname,
  define: { __BUILD__: JSON.stringify(buildHash()) },
  build: {
    target: ['chrome111', 'firefox114', 'safari16.4'],
    manifest: true,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Code that is loaded together is one file: on a phone each request costs more than some bytes (decision 034). A group
          // takes all imports of its modules, unless a group of higher priority has them.
          groups: [
            { name: 'first', tags: ['$initial'], priority: 10 },
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\//, priority: 9 },
            { name: 'light', test: /\/web\/src\/(light\.tsx|ui\/light\/)/, priority: 8 },
            {
              name: 'app',
              test: /\/web\/src\/(app|api\/use-call|ui\/texts|features\/auth\/texts|time\/when|ui\/full-name|time\/time)\.tsx?$/,
              priority: 7,
            },
            {
              name: 'patient',
              test: /\/(BookingPage|RoomPage|PatientWaitingPage|MyAppointmentsPage|ThankYouPage)\.tsx/,
              priority: 6,
            },
            { name: 'login', test: /\/auth\/Login(Token)?Page\.tsx/, priority: 5 },
            // Common code of the staff's pages; otherwise the pickers would include it.
            {
              name: 'material',
              test: /node_modules\/(@mui\/(material|system|utils|styled-engine|private-theming)|@emotion)\//,
              minShareCount: 8,
              priority: 4,
            },
            { name: 'pickers', test: /node_modules\/(@mui\/x-|dayjs)/ },
            {
              name: 'forms',
              test: /node_modules\/(react-hook-form|@hookform|@standard-schema|react-number-format)\/|\/web\/src\/form\//,
              minShareCount: 3,
            },
            { name: 'signalr', test: /node_modules\/@microsoft\/signalr\// },
            // What staff's pages share with the room (theme, visit) and with a patient's payment (payments).
            {
              name: 'theme',
              test: /\/web\/src\/(theme\/|ui\/(StaffTheme|Overlays|Button|DialogFrame|use-build-taps|phone|copy-text)\.)/,
              minShareCount: 4,
              priority: 2,
            },
            {
              name: 'visit',
              test: /\/contract\/src\/(appointments\/(calls|status|over)|guests|photos|recordings|waiting-room)[./]|\/web\/src\/(features\/(files|room)|form\/hold-sign-out)[./]/,
              minShareCount: 4,
              priority: 2,
            },
            {
              name: 'payments',
              test: /\/contract\/src\/(payments|money)[./]|\/web\/src\/(ui\/money|api\/use-repeated)\./,
              minShareCount: 3,
              priority: 2,
            },
            { name: 'icons', test: /node_modules\/@mui\/icons-material\//, minShareCount: 2, priority: 3 },
            { name: 'staff', test: /\/web\/src\/(ui|list|api)\/|\/contract\/src\//, minShareCount: 4 },
          ],
        },
      },
    },
  },
  server: {
    // The isolated frames have no origin.
    cors: { origin: [defaultAllowedOrigins, 'null'] },
    proxy: {
      '/api': target,
      '/ping': target,
      '/Recording': target,
      '/Photo': target,
      '/dev': target,
      '/sandbox': target,
      '/messaging': { ...target, ws: true },
    },
  },
  // theme.ts reads its colors from the style sheet.
  test: { css: { include: [/tokens\.css/] }, testTimeout: 120_000 },
  plugins: [
    react(),
    withoutSummaries(),
    VitePWA({
      strategies: 'generateSW',
      registerType: 'prompt',
      injectRegister: null,
      filename: 'ngsw-worker.js',
      manifest: {
        name: 'Roomside',
        short_name: 'Roomside',
        description: 'Clinic scheduling and video visits',
        start_url: './',
        display: 'standalone',
        background_color: '#f6f8f9',
        theme_color: '#0f766e',
        icons: [
          { src: 'icon.svg', sizes: 'any', type: 'image/svg+xml' },
          { src: 'icon-192.png', sizes: '192x192', type: 'image/png' },
          { src: 'icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any maskable' },
        ],
      },
      workbox: {
        // Only the shell of the first page; other parts are cached at their first use.
        globPatterns: [
          'index.html',
          'icon.svg',
          'assets/{index,light,react,rolldown-runtime}-*.js',
          'assets/index-*.css',
          'assets/inter-latin-wght-*.woff2',
        ],
        globIgnores: [],
        navigateFallback: 'index.html',
        navigateFallbackDenylist: [
          /^\/(api|messaging|ping|Recording|Photo|dev|sandbox)(\/|$)/,
          // The cached response has the policy of the document `/`.
          ...[...documents, ...Object.values(isolatedFrames)].map(({ path }) => new RegExp(`^${path}/?$`)),
        ],
        cleanupOutdatedCaches: true,
        runtimeCaching: [
          {
            urlPattern: /\/assets\/[^/]+\.(js|css|woff2|wav)$/,
            handler: 'CacheFirst',
            options: { cacheName: 'assets', expiration: { maxEntries: 150, maxAgeSeconds: 60 * 24 * 3600 } },
          },
        ],
      },
    }),
    preload(),
    lazyImports(),
    frames(),
    precompress(),
  ],
});
