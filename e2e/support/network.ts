import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

/** Whether this machine lets the tests make networks: Linux, as root, with iproute2. */
export const canMakeNetworks = (() => {
  const name = `roomside-${process.pid}-try`;
  const isMade = spawnSync('ip', ['netns', 'add', name], { stdio: 'ignore' }).status === 0;
  if (isMade) spawnSync('ip', ['netns', 'delete', name], { stdio: 'ignore' });
  return isMade;
})();

/** How a device reaches the rest. Its packets take the Wi-Fi while that is up, else the mobile network. */
export type Link = 'wifi' | 'mobile';

/** A device with a separate network namespace. */
export interface Device {
  /** Returns a program that starts `executable` on this device. */
  wrap(executable: string): string;
  /** Takes the carrier away, as a lost Wi-Fi or a pulled cable does. */
  cut(link: Link): void;
  mend(link: Link): void;
}

/** Devices behind one router, without a link to the networks of the machine, whose pages would notice. */
export interface TestNetwork {
  /** The router: at its address the devices reach the forwarded ports. */
  readonly host: string;
  /** The links in `up` have a carrier. */
  addDevice(name: string, up: readonly Link[]): Device;
  /** Forwards a port of `host` to the same one of the machine's loopback. */
  forward(port: number): Promise<void>;
  close(): void;
}

const ip = (...args: string[]) => void execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'inherit'] });

export function openNetwork(): TestNetwork {
  const prefix = `roomside-${process.pid}`;
  const router = `${prefix}-router`;
  // Addresses for tests of networks (RFC 2544).
  const block = '198.18.0';
  const host = `${block}.254`;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-network-'));
  const namespaces: string[] = [];
  const servers: net.Server[] = [];
  const programs: ChildProcess[] = [];
  let links = 0;

  const addNamespace = (name: string) => {
    ip('netns', 'add', name);
    namespaces.push(name);
    ip('-n', name, 'link', 'set', 'lo', 'up');
  };
  /** Links a device to the router. Returns the addresses of both. */
  const addLink = (namespace: string, link: Link, atRouter: string) => {
    const [near, far] = [`${block}.${4 * links + 1}`, `${block}.${4 * links + 2}`];
    links += 1;
    ip('-n', namespace, 'link', 'add', link, 'type', 'veth', 'peer', 'name', atRouter, 'netns', router);
    ip('-n', namespace, 'link', 'set', link, 'up');
    ip('-n', router, 'address', 'add', `${far}/30`, 'dev', atRouter);
    return { near, far };
  };
  const close = () => {
    for (const program of programs) program.kill('SIGKILL');
    for (const server of servers) server.close();
    // A link ends with one of its ends.
    for (const name of namespaces) spawnSync('ip', ['netns', 'delete', name], { stdio: 'ignore' });
    fs.rmSync(folder, { recursive: true, force: true });
  };

  process.on('exit', close);
  addNamespace(router);
  ip('netns', 'exec', router, 'sysctl', '-qw', 'net.ipv4.ip_forward=1');
  ip('-n', router, 'address', 'add', `${host}/32`, 'dev', 'lo');
  return {
    host,
    addDevice: (name, up) => {
      const namespace = `${prefix}-${name}`;
      addNamespace(namespace);
      const addresses = {
        wifi: addLink(namespace, 'wifi', `${name}-wifi`),
        mobile: addLink(namespace, 'mobile', `${name}-mobile`),
      };
      const mend = (link: Link) => {
        const { near, far } = addresses[link];
        const metric = link === 'wifi' ? '100' : '200';
        ip('-n', router, 'link', 'set', `${name}-${link}`, 'up');
        ip('-n', namespace, 'address', 'replace', `${near}/30`, 'dev', link);
        ip('-n', namespace, 'route', 'replace', 'default', 'via', far, 'dev', link, 'metric', metric);
      };
      for (const link of up) mend(link);
      return {
        wrap: (executable) => {
          const file = path.join(folder, name);
          fs.writeFileSync(file, `#!/bin/sh\nexec ip netns exec ${namespace} '${executable}' "$@"\n`, { mode: 0o755 });
          return file;
        },
        cut: (link) => {
          ip('-n', router, 'link', 'set', `${name}-${link}`, 'down');
          // As the network manager of a device does; the routes of the address end with it.
          ip('-n', namespace, 'address', 'flush', 'dev', link);
        },
        mend,
      };
    },
    forward: async (port) => {
      // Processes of different networks share the files, so a socket in a folder leads out of the router.
      const way = path.join(folder, String(port));
      const server = net.createServer((socket) => pipe(socket, net.connect(port, '127.0.0.1')));
      server.listen(way);
      await once(server, 'listening');
      servers.push(server);
      const program = spawn(
        'ip',
        ['netns', 'exec', router, process.execPath, import.meta.filename, way, host, String(port)],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      programs.push(program);
      await once(program.stdout, 'data');
    },
    close: () => {
      process.off('exit', close);
      close();
    },
  };
}

function pipe(one: net.Socket, other: net.Socket): void {
  one.pipe(other).pipe(one);
  one.on('error', () => other.destroy());
  other.on('error', () => one.destroy());
}

// The part of `forward` that runs on the router.
const [, program, way, host, port] = process.argv;
if (program === import.meta.filename && way && host) {
  const server = net.createServer((socket) => pipe(socket, net.connect(way)));
  server.listen(Number(port), host, () => process.stdout.write('ready'));
}
