import { execFileSync } from 'node:child_process';

/**
 * The processes above this one up to npm: killing npm leaves its script running, so the server looks after them itself.
 * Empty when it was not started through npm.
 */
export function npmAncestors(env: NodeJS.ProcessEnv): number[] {
  if (env['npm_lifecycle_event'] === undefined) return [];
  const parent = process.ppid;
  // npm runs scripts through a shell, which may or may not replace itself by the command.
  const above = parentOf(parent);
  const isShell = /^(sh|dash|bash|zsh|ash|ksh)$/.test(nameOf(parent));
  return isShell && above > 1 ? [parent, above] : [parent];
}

/** Calls back once when one of the processes is gone. */
export function whenGone(pids: readonly number[], gone: () => void): void {
  if (pids.length === 0) return;
  const timer = setInterval(() => {
    if (pids.every(isAlive)) return;
    clearInterval(timer);
    gone();
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

const ask = (pid: number, what: string) =>
  execFileSync('ps', ['-o', `${what}=`, '-p', String(pid)], { encoding: 'utf8' }).trim();

function parentOf(pid: number): number {
  try {
    return Number(ask(pid, 'ppid'));
  } catch {
    return 0;
  }
}

function nameOf(pid: number): string {
  try {
    return ask(pid, 'comm').replace(/^.*\//, '').replace(/^-/, '');
  } catch {
    return '';
  }
}
