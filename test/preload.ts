/** Loaded before every test file: real servers and processes need more than the runner's five seconds at times. */
import { setDefaultTimeout } from 'bun:test';

setDefaultTimeout(30_000);
