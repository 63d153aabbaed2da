/** Removes artefacts of transport from a reply: line ends, spaces, invisible characters, stop tokens. */
import { normalizeText } from '#runtime/normalize-text.ts';

const invisible =
  /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]|[\ufe00-\ufe0f]|\u20e3|[\u{e0000}-\u{e007f}]/gu;

/** Does not use compatibility normalisation, which would turn 10² into 102. */
export function cleanTransport(reply: string): string {
  return reply
    .replaceAll(/\r\n?|[\u2028\u2029\u0085\v\f]/g, '\n')
    .replaceAll(invisible, '')
    .replaceAll(/[\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g, ' ')
    .replaceAll(/[\uff10-\uff19]/g, (digit) => String.fromCharCode(digit.charCodeAt(0) - 0xfee0))
    .replaceAll(/(?:[\uff21-\uff3a\uff41-\uff5a]|[\u{1d400}-\u{1d7ff}])+/gu, (letters) =>
      normalizeText(letters, 'NFKC'),
    )
    .replaceAll('：', ':')
    .replaceAll(/[，、]/g, ', ')
    .replaceAll('。', '. ')
    .replaceAll(
      /<\/?s>|<(?:eos|bos|pad|end_of_turn|start_of_turn|end_of_utterance)>|<\|(?:im_end|endoftext|eot_id|end_of_text|eom_id|return)\|>|\[\/?INST\]/g,
      '',
    );
}
