import { expect } from 'bun:test';
import type { TestResponse } from './hub.ts';

/** Checks the status and the code, and that there is a message. */
export function expectError(response: TestResponse, status: number, code: string): void {
  expect([response.status, response.body?.error]).toEqual([status, code]);
  expect(response.body.message.length).toBeGreaterThan(10);
}
