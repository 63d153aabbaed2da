import type { HubUnderTest } from '../hub-under-test.ts';

/** Something that goes wrong around a hub. */
export interface Disturbance {
  readonly name: string;
  /** @returns how to end it */
  start(hub: HubUnderTest): Promise<() => Promise<void>>;
}

/** A disturbance that ends by itself. */
export const nothingToEnd = async (): Promise<void> => undefined;
