import http from 'node:http';

/** One HTTP request of a benchmark. */
export interface Shot {
  port: number;
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  /** Called for each request. */
  body?: () => string;
}

export interface Round {
  /** The median of sequential requests, ms. */
  p50: number;
  /** Requests per second with 16 at a time. */
  perSecond: number;
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 32 });

export function fire({ port, method, path, headers, body }: Shot): Promise<void> {
  return new Promise((resolve, reject) => {
    const payload = body?.();
    const request = http.request(
      {
        agent,
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: { ...headers, ...(payload && { 'content-type': 'application/json' }) },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          if (response.statusCode && response.statusCode < 300) resolve();
          else reject(new Error(`${response.statusCode} ${Buffer.concat(chunks).toString().slice(0, 300)}`));
        });
      },
    );
    request.on('error', reject);
    request.end(payload);
  });
}

/** Sends `count` sequential requests, then four times as many with 16 at a time. */
export async function measure(shot: Shot, count: number): Promise<Round> {
  const times: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const from = performance.now();
    await fire(shot);
    times.push(performance.now() - from);
  }
  let left = count * 4;
  const from = performance.now();
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (left > 0) {
        left -= 1;
        await fire(shot);
      }
    }),
  );
  return { p50: median(times), perSecond: (count * 4) / ((performance.now() - from) / 1000) };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export interface Comparison {
  /** Our p50 divided by the reference's; the median of the alternations. */
  p50: number;
  /** Our throughput divided by the reference's. */
  throughput: number;
  /** Our p50, ms, for comparisons within one run. */
  p50Ms: number;
}

/** Measures ours and the reference alternately, so that other load affects both; use at least five alternations. */
export async function compare(ours: Shot, reference: Shot, count: number, alternations = 7): Promise<Comparison> {
  await measure(ours, Math.ceil(count / 4));
  await measure(reference, Math.ceil(count / 4));
  const rounds: { ours: Round; reference: Round }[] = [];
  for (let i = 0; i < alternations; i += 1)
    rounds.push({ ours: await measure(ours, count), reference: await measure(reference, count) });
  return {
    p50: round(median(rounds.map((r) => r.ours.p50 / r.reference.p50))),
    throughput: round(median(rounds.map((r) => r.ours.perSecond / r.reference.perSecond))),
    p50Ms: round(median(rounds.map((r) => r.ours.p50))),
  };
}

export const round = (value: number): number => Math.round(value * 100) / 100;
