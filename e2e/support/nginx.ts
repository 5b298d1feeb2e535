import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../signalr/test/free-port.ts';

/** NGINX_PATH if set, else Debian's path; null when nginx is not installed. */
export const nginxProgram =
  [process.env['NGINX_PATH'] || 'nginx', '/usr/sbin/nginx'].find((program) => !spawnSync(program, ['-v']).error) ??
  null;

export interface Nginx {
  /** Forwards everything to the hub, upgrades too. */
  readonly url: string;
  /** Forwards without the headers of upgrades. */
  readonly bareUrl: string;
  /** The same, but ignores the hub's headers about buffering. */
  readonly deafUrl: string;
  stop(): Promise<void>;
}

/** nginx on loopback in front of a hub, in a temporary folder. */
export async function startNginx(hubPort: number): Promise<Nginx> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-nginx-'));
  const ports = [await freePort(), await freePort(), await freePort()] as const;
  fs.writeFileSync(path.join(folder, 'nginx.conf'), configuration(hubPort, ports));
  const child = spawn(nginxProgram ?? 'nginx', ['-p', folder, '-c', 'nginx.conf', '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const orphan = () => child.kill('SIGKILL');
  process.on('exit', orphan);
  const from = Date.now();
  // nginx does not report when it is ready.
  while (!(await listens(ports[2]))) {
    if (child.exitCode !== null || Date.now() - from > 10_000) throw new Error(`nginx did not start:\n${output}`);
    await pause(20);
  }
  return {
    url: `http://127.0.0.1:${ports[0]}`,
    bareUrl: `http://127.0.0.1:${ports[1]}`,
    deafUrl: `http://127.0.0.1:${ports[2]}`,
    async stop() {
      process.off('exit', orphan);
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, 'exit');
        // Without a master process it may ignore gentle signals, and it has no state.
        child.kill('SIGKILL');
        await exited;
      }
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Leaves buffering and timeouts at their defaults, which are under test. */
function configuration(hubPort: number, ports: readonly [number, number, number]): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);
  const upgrades = [
    'proxy_http_version 1.1;',
    'proxy_set_header Upgrade $http_upgrade;',
    'proxy_set_header Connection $connection_upgrade;',
  ];
  const servers = [upgrades, [], ['proxy_ignore_headers X-Accel-Buffering;']].map(
    (lines, index) => `server {
      listen 127.0.0.1:${ports[index]};
      location / { proxy_pass http://127.0.0.1:${hubPort}; ${lines.join(' ')} }
    }`,
  );
  return `
    daemon off;
    master_process off;
    pid nginx.pid;
    error_log stderr;
    events {}
    http {
      access_log off;
      ${temporary.join(' ')}
      map $http_upgrade $connection_upgrade { default upgrade; '' close; }
      ${servers.join('\n')}
    }
  `;
}

async function listens(port: number): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
