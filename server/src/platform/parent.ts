import { execFileSync } from 'node:child_process';

/**
 * Returns the ids of the parent processes up to npm; none when the server was not started by npm. A killed npm does not end
 * its script, so the server has to watch it.
 */
export function npmAncestors(env: NodeJS.ProcessEnv): number[] {
  if (env['npm_lifecycle_event'] === undefined) return [];
  const parent = process.ppid;
  // npm runs scripts in a shell, which may or may not be replaced by the command.
  const above = parentOf(parent);
  const isShell = /^(sh|dash|bash|zsh|ash|ksh)$/.test(nameOf(parent));
  return isShell && above > 1 ? [parent, above] : [parent];
}

/** Calls `onExit` once when one of the processes has ended. */
export function watchProcesses(pids: readonly number[], onExit: () => void): void {
  if (pids.length === 0) return;
  const timer = setInterval(() => {
    if (pids.every(isAlive)) return;
    clearInterval(timer);
    onExit();
  }, 300);
  timer.unref();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const readProcessField = (pid: number, field: string) =>
  execFileSync('ps', ['-o', `${field}=`, '-p', String(pid)], { encoding: 'utf8' }).trim();

function parentOf(pid: number): number {
  try {
    return Number(readProcessField(pid, 'ppid'));
  } catch {
    return 0;
  }
}

function nameOf(pid: number): string {
  try {
    return readProcessField(pid, 'comm').replace(/^.*\//, '').replace(/^-/, '');
  } catch {
    return '';
  }
}
