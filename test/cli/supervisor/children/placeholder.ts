/**
 * Stands in for a process of the hub. Usage: placeholder.ts <name> <journal> <behaviour> [number]. It writes
 * what happens to it to the journal, one event per line.
 */
import { Database } from 'bun:sqlite';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { announceReady, createShutdown } from '#runtime/process/shutdown.ts';

const [name = '', journal = '', behaviour = 'serve', number = '0'] = process.argv.slice(2);
const note = (what: string): void => appendFileSync(journal, `${name} ${what}\n`);
/** Misbehaves shortly after its first start, and works after a restart. */
function serveOnceTroubled(trouble: () => void): void {
  const mark = `${journal}.${name}.troubled`;
  announceReady();
  setInterval(() => {}, 60_000);
  if (existsSync(mark)) return;
  writeFileSync(mark, '');
  setTimeout(trouble, 100);
}

const held: Uint8Array[] = [];
/** Allocates this many megabytes and keeps them. */
function grow(mb: number): void {
  held.push(new Uint8Array(mb * 1024 * 1024).fill(1));
}

const silent = { info: () => {}, error: () => {} };

note(`started ${process.pid}`);
switch (behaviour) {
  case 'serve': {
    const stop = async (): Promise<void> => {
      note('stopping');
      await Bun.sleep(Number(number));
      note('stopped');
    };
    createShutdown({ logger: silent }).onShutdown('work', stop, 10_000);
    announceReady();
    setInterval(() => {}, 60_000);
    break;
  }
  case 'exit-before-ready':
    process.exit(Number(number));
    break;
  case 'crash-once':
    serveOnceTroubled(() => process.exit(3));
    break;
  case 'spin-once':
    serveOnceTroubled(() => {
      for (;;);
    });
    break;
  case 'stop-once':
    serveOnceTroubled(() => process.kill(process.pid, 'SIGSTOP'));
    break;
  case 'stop-with-lock-once':
    serveOnceTroubled(() => {
      // Like a process that is stopped during a transaction.
      const file = new Database(`${journal}.${name}.sqlite`, { create: true });
      file.run('PRAGMA journal_mode = WAL');
      file.run('BEGIN IMMEDIATE');
      note('holds the lock');
      process.kill(process.pid, 'SIGSTOP');
    });
    break;
  case 'grow-once':
    createShutdown({ logger: silent }).onShutdown('work', () => note('stopped in order'), 10_000);
    serveOnceTroubled(() => grow(Number(number)));
    break;
  case 'grow-and-spin-once':
    serveOnceTroubled(() => {
      // On a slow machine, the supervisor may find it too large, and stop it, while it is still growing.
      process.on('SIGTERM', () => note('responded to SIGTERM'));
      grow(Number(number));
      for (;;);
    });
    break;
  case 'ignore-sigterm':
    process.on('SIGTERM', () => note('ignored SIGTERM'));
    announceReady();
    setInterval(() => {}, 60_000);
    break;
  default:
    throw new Error(`unknown behaviour ${behaviour}`);
}
