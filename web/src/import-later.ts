/** Waits between tries while the device has a network, ms. */
const waits = [250, 500, 1_000, 2_000];

const arrivals = new Map<string, Promise<void>>();

/**
 * Imports code of the build that is needed later, when its files are in the browser's cache. Browsers remember a failed import until the page
 * is loaded again, so a network that fails for a moment would end the page. The build uses this instead of Vite's preloads.
 *
 * `files`: the code's files and those that it imports, without a leading slash, as the build knows them.
 */
export async function importLater<T>(load: () => Promise<T>, files: readonly string[] = []): Promise<T> {
  await Promise.all(
    files.map((file) => {
      const arrival = arrivals.get(file) ?? fetchFile(`/${file}`);
      arrivals.set(file, arrival);
      return arrival;
    }),
  );
  return load();
}

/** Resolves also when the server has no such file or the tries are used up: the import then says what is wrong. */
async function fetchFile(path: string): Promise<void> {
  for (const wait of [...waits, null]) {
    const status = await fetchOnce(path);
    // Gateways answer 502 to 504 while a server restarts.
    if ((status > 0 && status < 500) || wait === null) break;
    if (status === 0 && !navigator.onLine)
      await new Promise((done) => addEventListener('online', done, { once: true }));
    else await new Promise((done) => setTimeout(done, wait));
  }
  if (path.endsWith('.css')) await addStyles(path);
}

/** Returns the status, 0 without a response. */
async function fetchOnce(path: string): Promise<number> {
  try {
    const response = await fetch(path);
    // Only a whole file is kept in the cache.
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

async function addStyles(path: string): Promise<void> {
  if (document.querySelector(`link[rel="stylesheet"][href="${path}"]`)) return;
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.crossOrigin = '';
  link.href = path;
  const settled = new Promise((done) => {
    link.onload = done;
    link.onerror = done;
  });
  document.head.append(link);
  await settled;
}
