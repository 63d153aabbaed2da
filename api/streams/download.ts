import { claimantOf } from '#runtime/turns/turns.ts';
import type { AgentCtx } from '#domain/context.ts';
import type { ReadTurns } from '../access/read-turns.ts';
import { inPieces, textStream } from './text-stream.ts';

interface Loading {
  readonly ctx: AgentCtx;
  readonly deps: { readonly downloads: ReadTurns };
  readonly signal: () => AbortSignal;
}

interface Download {
  readonly type: string;
  readonly name: string;
  readonly texts: AsyncGenerator<string>;
}

/**
 * A document that an agent downloads, which may be long. It keeps a turn until its end, or until its client is slow and
 * others wait for it that hold fewer.
 * @param open is called when it has the turn
 * @throws DomainError busy
 */
export async function download(
  { ctx, deps, signal }: Loading,
  open: () => Promise<Download> | Download,
): Promise<Response> {
  const turn = await deps.downloads.take(claimantOf(ctx.agent), signal());
  try {
    const { type, name, texts } = await open();
    const headers = {
      'content-type': type,
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
    };
    return new Response(textStream(inPieces(texts), { onEnd: turn, turn }), { headers });
  } catch (error) {
    turn();
    throw error;
  }
}
