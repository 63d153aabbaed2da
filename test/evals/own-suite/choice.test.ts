/** The grader of a choice, on replies that name, weigh, refuse and take back options. */
import { barred, tryTables } from './grader-tables.ts';

tryTables({
  'choice of a letter': {
    spec: { choice: 'B', options: ['A', 'B', 'C'] },
    passes: ['B', '(B)', 'B.', '**B**', 'The answer is B.', 'B) Because it rained', 'Answer: B'],
    fails: ['A', 'A or B', 'b and c', 'A, B and C', 'not B', '', 'Bravo', 'Either A or B', 'It is not B.'],
  },
  'choice in the answer of a reply that weighs the others': {
    spec: { choice: 'B', options: ['A', 'B', 'C'] },
    passes: [
      'A is too early and C too late.\n\n**Answer: B**',
      'A or C?\nB',
      'A and C fail.\nAnswer: (B) it rained',
    ],
    fails: [
      'B fits and C does not.\nAnswer: A',
      'Answer: A\nAnswer: B',
      'Answer: A\nMy final choice is B',
      'Answer: A\nWait I made a mistake. It is B.',
      'Answer: A\n\nWait let me recheck. So it is B.',
      'A\nB',
      'Answer: A or B',
      'B: too early. C: right.',
    ],
  },
  'choice on the first line, with an explanation that names others': {
    spec: { choice: 'B', options: ['A', 'B', 'C'] },
    passes: [
      'B\n\nExplanation: A is wrong because it rained.',
      '**B**\n\nA) is too early. C) is too late.',
      '(B)\nA and C are not possible.',
      'B.\n\nHere is why.',
      'B. Because A is wrong.',
      'B, since A is too early',
      'B — A is wrong because it rained.',
      'B) Paris\n\nA) London is wrong.',
      '(B) Paris, not A',
      'B, not A or C',
      'The correct answer is (B). A is wrong.',
      'B is the correct answer because A is too small.',
    ],
    fails: [
      'A\n\nExplanation: B is wrong.',
      'B\n\nActually, A is right.',
      'B\n\nA',
      'B\n\nThe correct answer is A.',
      'B\n\nNo, I choose C.',
      'A, B\n\nBecause.',
      'B?\nNo: A',
      'B\n\nOn reflection, C fits better.',
      'B\n\nC is correct.',
      'B\n\nEdit: C',
      ...barred(`
        B, C | B, C and D | (B) and (C) | B, or maybe C, not A | B. A or C would also be fine.
        B, although C is better | B, A is wrong, C is right | B. A is wrong. Final answer: C
        I reject B. | B is the least likely | B was rejected | B = no | B: no | B. Wrong. | B is false.
        B can be eliminated. | I would rule out B. | Anything but B
      `),
    ],
  },
  'choice of A, which may be an article': {
    spec: { choice: 'A', options: ['A', 'B', 'C'] },
    passes: ['A', 'A is right.', 'A because it rained', 'Option A'],
    fails: ['A good question! Hard to say.', 'A cat sat on the mat.', 'A few options fit.'],
  },
  'choice of a number': {
    spec: { choice: '2', options: ['1', '2', '3'] },
    passes: ['2', '2. Because it fits', 'Option 2', '2)'],
    fails: ['2.5', '-2', '1,2', '12', '2 or 3'],
  },
  'choice of no, which may belong to another word': {
    spec: { choice: 'no', options: ['yes', 'no'] },
    passes: [
      ...barred(`No, you may not. | No. It is not allowed. | **No**, because the parcel is not late.`),
      ...barred(`The answer is no. | no because it is late`),
    ],
    fails: [
      ...barred(`No. Yes. | No, wait: yes | Yes, no doubt. | No information is given. | no idea`),
      'I have no information about that.',
      'no?\nyes',
    ],
  },
  'choice that a reply refuses': {
    spec: { choice: 'approve', options: ['approve', 'escalate'] },
    passes: [
      'I approve; no need to decline.',
      'I approve because the first claim was wrongly denied.',
      'I would approve the declined payment.',
      'I approve this rejected request again.',
      'Approve: the claim was denied in error.',
      'Approve at least.',
    ],
    fails: barred(`
      I refuse to approve this. | I am unable to approve | Declined to approve. | Unable to approve
      We must deny and reject, never approve. | approve = no | Approve: declined | Approve (rejected)
      To approve this claim is out of the question. | Approve is the least likely. | Approve? No.
      To approve it is denied. | I decline to choose approve | I don't approve. | You shouldn't approve it.
      Do you approve? | I see no reason to refuse to approve.
    `),
  },
  'choice beside its denial': {
    spec: { choice: 'Refund', options: ['Refund', 'No refund'] },
    passes: ['Refund', 'I would give a refund.', 'It is a REFUND.', 'Refund: the card was declined.'],
    fails: [
      ...barred(`
        Refund denied. | Refund is refused. | The refund request rejected | Refund? No. | Refund: denied
        No refund | A refund is hereby declined. | Refund: declined | **Refund** request rejected
        The refund must be refused because it is late. | I have to deny a refund
        Refund — refused because it is late
      `),
      '**Refund** = **no**\nIt is late',
    ],
  },
  'choice beside a refusal of something else': {
    spec: { choice: 'billing', options: ['billing', 'access'] },
    passes: [
      'Category: billing\nReason: card declined',
      'Category: billing\nNo further action.',
      ...barred(`
        billing (card declined) | This is a billing issue: the payment was declined. | It is billing; declined.
        I would classify this as billing – payment declined. | "billing" (payment rejected by bank)
        The bank refused the billing of a card. | The customer was denied billing. | billing = no invoice came
      `),
    ],
    fails: ['I think that billing\nis not right'],
  },
  'choice of a letter beside a refusal of something else': {
    spec: { choice: 'B', options: ['A', 'B', 'C'] },
    passes: [
      '**B** – loan denied',
      'B: Access is denied',
      'A request was denied, so B fits.',
      'Option B is right: the null hypothesis is rejected.',
    ],
    fails: ['**B** – denied', 'We reject option B'],
  },
  'choice of a refusal': {
    spec: { choice: 'decline', options: ['approve', 'decline'] },
    passes: ['I decline.', 'Decline: the refund is denied.', 'I must decline. No refund is due.'],
    fails: ['I would not decline.', 'I refuse to approve.'],
  },
  'choice of a word that rejects others': {
    spec: { choice: 'Rejected', options: ['Approved', 'Rejected'] },
    passes: ['Rejected', 'The request is rejected.', 'Rejected. It was denied before.'],
    fails: ['It is not rejected.', 'I refuse, so approved.'],
  },
  'choice of options inside of others': {
    spec: { choice: 'A and B', options: ['A', 'B', 'A and B', 'neither'] },
    passes: ['A and B', 'The answer is A and B.', '**Answer: A and B**'],
    fails: ['A', 'A, B', 'neither A and B'],
  },
  'choice of a letter inside of another option': {
    spec: { choice: 'C', options: ['Vitamin A', 'Vitamin C', 'C'] },
    passes: ['C', 'It is C.'],
    fails: ['Vitamin C', 'It is Vitamin C.'],
  },
  'choice of an option with a sign': {
    spec: { choice: 'C#', options: ['C', 'C#', 'C++', 'Java'] },
    passes: ['C#', 'The answer is C#.', '**C#**', 'C#\n\nIt runs on .NET.', 'c#: it runs on .NET'],
    fails: ['C', 'C\n\nKernels are written in it.', 'C++', 'C++: it has classes'],
  },
  'choice of a grade': {
    spec: { choice: 'B-', options: ['B', 'B-', 'B+'] },
    passes: ['B-', 'B-\n\nSome gaps.', 'The grade is B-.', '(B-)'],
    fails: ['B', 'B\n\nSolid work.', 'B. Solid work.', 'B+', 'B+\n\nGood.', '+'],
  },
  'choice of a sign, which may be a bullet': {
    spec: { choice: '-', options: ['+', '-'] },
    passes: ['-', 'The sign is -.'],
    fails: ['- One point.\n- Another.', '- The sign is +', 'It is well-known.', '+', '**'],
  },
  'choice of the last of listed options': {
    spec: { choice: 'C', options: ['A', 'B', 'C'] },
    passes: ['Each in turn.\nA: too early\nB: too late\n\nC', 'Not A.\nC'],
    fails: [
      'Which of these?\nA) Refund\nB) Voucher\nC) Reject',
      'I need more information:\n- A\n- B\n- C',
      'I need more information:\n\nB\n\nC',
    ],
  },
  'choice of a word that a reply does not choose': {
    spec: { choice: 'Refund', options: ['Refund', 'Voucher'] },
    passes: [
      'Is a voucher enough? A refund is due.',
      'The parcel is late, so a refund.',
      'If it is late, they get a voucher or a refund. It is late: Refund.',
      "A refund, because the parcel hasn't arrived.",
    ],
    fails: barred(`
      Refund? | no refund | Sorry, no refund. | Doesn't get a refund | A refund couldn’t be granted.
      Ineligible for a refund | Maybe a refund. | Without a refund | A refund if it is late.
      Should I issue a refund?
    `),
  },
  'choice of I, which may be the one who replies': {
    spec: { choice: 'I', options: ['I', 'II', 'III'] },
    passes: ['I', 'I think it is I.', 'Option I fits.', 'I is right.'],
    fails: ['I need more data.', 'I would choose II.', 'I am sorry.', "I'm not sure."],
  },
  'choice in scripts without spaces between words': {
    spec: { choice: 'B', options: ['A', 'B'] },
    passes: ['答案是B。', '答えはBです。', '정답은 B입니다.', 'คำตอบคือB'],
    fails: ['答案是A。', 'ответB'],
  },
});
