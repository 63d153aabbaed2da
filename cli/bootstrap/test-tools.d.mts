/** Types of `test-tools.mjs`. */
export type TestTool = 'chromium' | 'pgbouncer' | 'nginx' | 'caddy' | 'prometheus' | 'promtool' | 'python3';
/** @throws Error with instructions if it is missing */
export function requireTool(tool: TestTool): string;
export function installTestTools(): void;
