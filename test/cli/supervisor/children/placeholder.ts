/**
 * Stands in for a process of the hub. Usage: placeholder.ts <name> <journal> <behaviour> [number]; it writes what
 * happens to it to the journal, one line each.
 */
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { announceReady, createShutdown } from '#runtime/shutdown.ts';

const [name = '', journal = '', behaviour = 'serve', number = '0'] = process.argv.slice(2);
const note = (what: string): void => appendFileSync(journal, `${name} ${what}\n`);
const silent = { info: () => {}, error: () => {} };

note(`started ${process.pid}`);
switch (behaviour) {
  case 'serve': {
    const shutdown = createShutdown({ logger: silent });
    shutdown.onShutdown(
      'work',
      async () => {
        note('stopping');
        await Bun.sleep(Number(number));
        note('stopped');
      },
      10_000,
    );
    announceReady();
    setInterval(() => {}, 60_000);
    break;
  }
  case 'exit-before-ready':
    process.exit(Number(number));
    break;
  case 'crash-once': {
    const mark = `${journal}.${name}.crashed`;
    announceReady();
    if (existsSync(mark)) {
      setInterval(() => {}, 60_000);
    } else {
      writeFileSync(mark, '');
      setTimeout(() => process.exit(3), 50);
    }
    break;
  }
  case 'ignore-sigterm':
    process.on('SIGTERM', () => note('ignored SIGTERM'));
    announceReady();
    setInterval(() => {}, 60_000);
    break;
  default:
    throw new Error(`unknown behaviour ${behaviour}`);
}
