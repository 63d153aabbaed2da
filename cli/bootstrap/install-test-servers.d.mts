/** Types of `install-test-servers.mjs`. */
export function findPgbouncer(): string | null;
export type Proxy = 'nginx' | 'caddy';
export function findProxy(proxy: Proxy): string | null;
export type MonitoringProgram = 'prometheus' | 'promtool';
export function findMonitoring(program: MonitoringProgram): string | null;
export function installPgbouncer(): void;
export function installProxies(): void;
export function installPrometheus(): void;
