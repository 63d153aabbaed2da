/**
 * Words of the answer reader and of the leak search that invented words could spell: an answer that begins with
 * "result" looks like one after a label.
 */
export const readerWords: ReadonlySet<string> = new Set(
  (
    'baker bare base before begin behind beside boolean bravo broken data date delete depend done dora dozen ' +
    'dropend failure fife figure final finish five footer fower gimu give given gives grade grades harom have ' +
    'header here hides hope hostile hotel house jeden june kilo label later latex latin layer leaves level like ' +
    'lima line linear lines loose looser loses love lower made make makes mate metres mike minus minute mistake ' +
    'mistaken model modulo more name names nana negen never nine niner none nope nora note notes nove novem nulus ' +
    'numeral papa param peter please pleasure prefix presume pretend prose pure quatre quatro quite quote quotes ' +
    'reader reason refuse remark removes repair result return revise rises rival roger roku role roman rule rules ' +
    'safe same sete seven several side sides sifir size sizes some state states status statuses sugar sure take ' +
    'taken takes tare timate time times token total trimend triple voyage wager were wrong yedi yoke zebra zero ' +
    'zeros zeven zone zulu'
  ).split(' '),
);
