// Preloaded into a server (--import): appends the names of OpenTelemetry's packages that are resolved to the file of RECORD_MODULES.
import fs from 'node:fs';
import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    const file = process.env['RECORD_MODULES'];
    if (file && specifier.startsWith('@opentelemetry/')) fs.appendFileSync(file, `${specifier}\n`);
    return next(specifier, context);
  },
});
