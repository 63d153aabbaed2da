/** The declaration of a document for programs: a feed, a calendar, or what crawlers read. */
import type { Ctx } from '#domain/context.ts';
import type { ParameterForm } from './page.ts';

export interface SiteDocument {
  /** Parameters are written as `:name`. */
  readonly path: string;
  readonly params: Readonly<Record<string, ParameterForm>>;
  readonly type: string;
  readonly load: (ctx: Ctx, params: Readonly<Record<string, string>>) => Promise<string>;
}
