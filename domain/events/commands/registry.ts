/** Every seat command, one line each. */
export { cancelEvent } from './cancel-event.ts';
export { cancelSeat } from './cancel-seat.ts';
export { changeEvent } from './change-event.ts';
export { confirmMeeting } from './confirm-meeting.ts';
export { joinWaitlist } from './join-waitlist.ts';
export { reserveSeat } from './reserve-seat.ts';
export { withdrawAgent } from './withdraw-agent.ts';
