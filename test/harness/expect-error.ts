/** Holds an answer to be the refusal that a test expects. */
import { expect } from 'bun:test';
import type { TestResponse } from './hub.ts';

/** Status and code, and a message that says something. */
export function expectError(response: TestResponse, status: number, code: string): void {
  expect([response.status, response.body?.error]).toEqual([status, code]);
  expect(response.body.message.length).toBeGreaterThan(10);
}
