/** Clients that registered themselves (RFC 7591). */
import { and, eq, isNull, lt, or } from 'drizzle-orm';
import { createId } from '#runtime/create-id.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { invalidClient, type OauthClient, readClientMetadata } from './client-metadata.ts';

export interface RegisteredClient extends OauthClient {
  readonly createdAt: Date;
}

/** @throws DomainError invalid_redirect_uri, invalid_client_metadata */
export async function registerClient(
  ctx: Ctx,
  input: { readonly metadata: unknown },
): Promise<RegisteredClient> {
  const metadata = readClientMetadata(input.metadata);
  return withTransaction(ctx, async ({ db, clock }) => {
    const createdAt = clock.now();
    const client = { id: createId(createdAt), ...metadata, createdAt, lastUsedAt: null };
    await db.query.insert(db.tables.oauthClients).values(client);
    return client;
  });
}

const idForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** @throws DomainError invalid_client */
export async function findRegisteredClient({ db }: Ctx, id: string): Promise<OauthClient> {
  const { oauthClients } = db.tables;
  const [client] = idForm.test(id)
    ? await db.query.select().from(oauthClients).where(eq(oauthClients.id, id))
    : [];
  if (client === undefined) {
    throw invalidClient('There is no client with this `client_id`. Clients that are not used are deleted.');
  }
  return client;
}

/** Exact to a day, which keeps writes rare. */
const useExactToMs = 24 * 60 * 60 * 1_000;

export async function noteClientUse({ db, clock }: TransactionCtx, id: string): Promise<void> {
  if (!idForm.test(id)) return;
  const { oauthClients } = db.tables;
  const now = clock.now();
  await db.query
    .update(oauthClients)
    .set({ lastUsedAt: now })
    .where(
      and(
        eq(oauthClients.id, id),
        or(
          isNull(oauthClients.lastUsedAt),
          lt(oauthClients.lastUsedAt, new Date(now.getTime() - useExactToMs)),
        ),
      ),
    );
}
