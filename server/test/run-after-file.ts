import { afterAll } from 'vitest';
import { runAfterFile } from './after-file.ts';

// Vitest runs this before each test file, so that it is the last of the file's hooks.
afterAll(runAfterFile);
