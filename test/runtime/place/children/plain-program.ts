/** A program that keeps the priority it was given. */
import { serveTasks } from '#runtime/place/serve-tasks.ts';

serveTasks(() => Promise.resolve(() => process.pid));
