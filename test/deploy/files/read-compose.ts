/** The services of `deploy/compose.yml`. */
import { readDocuments } from './read-deploy-file.ts';

export interface ComposeService {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly env_file?: readonly string[];
  readonly healthcheck?: {
    readonly test: readonly string[];
    readonly interval: string;
    readonly timeout: string;
    readonly retries: number;
    readonly start_period?: string;
  };
  readonly networks: unknown;
  readonly volumes?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly read_only?: boolean;
  readonly stop_grace_period?: string;
  readonly deploy?: { readonly replicas: number };
  readonly depends_on?: Readonly<Record<string, { condition: string }>>;
}

interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: Readonly<
    Record<string, { readonly ipam: { readonly config: readonly [{ readonly subnet: string }] } } | null>
  >;
}

// Its shape is checked by the schema.
export const [compose] = readDocuments('compose.yml') as readonly [Compose];

/** The names of the networks of a service. */
export function networksOf(
  { networks }: Pick<ComposeService, 'networks'> = { networks: [] },
): readonly string[] {
  return Array.isArray(networks) ? (networks as readonly string[]) : Object.keys(networks ?? {});
}

/** The environment of a service: its env file, overridden by the compose file. */
export function environmentOf(
  service: ComposeService,
  given: ReadonlyMap<string, string>,
): Record<string, string> {
  const own = Object.entries(service.environment ?? {}).map(([name, value]): [string, string] => [
    name,
    value.replaceAll(/\$\{(\w+):[?-]\}/g, (_, variable: string) => given.get(variable) ?? ''),
  ]);
  return { ...Object.fromEntries(given), ...Object.fromEntries(own) };
}
