/// <reference types="vite/client" />
/// <reference types="vite-plugin-pwa/client" />

/** Names this build; set by vite.config.ts. */
declare const __BUILD__: string;

declare module '@fontsource-variable/inter';
