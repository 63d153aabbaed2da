/** The same program, which takes longer to start than work may keep others waiting. */
import { setTimeout as sleep } from 'node:timers/promises';

await sleep(600);
await import('./task-program.ts');
