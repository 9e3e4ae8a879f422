/** Whether a question is answered in a conversation as it is alone. */

import type { ChatMessage } from '../../server/protocol/index.ts';
import type { Answer, Question } from './chatOpen.ts';

/** Questions of a dialogue. */
export const turnsPerDialogue = 12;

/** An answer in a dialogue, with the one to the same question alone. */
export interface LaterAnswer<Q> {
	readonly question: Q;
	readonly answer: Answer;
	readonly alone: Answer;
}

/** Dialogues of questions that are drawn without chance and without repetition; fewer when they run out. */
export function drawDialogues<Q>(questions: readonly Q[], count: number): Q[][] {
	// A step that shares no factor with the number of questions meets each of them once.
	const step = coprime(Math.floor(questions.length * 0.618), questions.length);
	const drawn = questions.map((_, index) => questions[(index * step) % questions.length] as Q);
	return Array.from(
		{ length: Math.min(count, Math.floor(drawn.length / turnsPerDialogue)) },
		(_, dialogue) => drawn.slice(dialogue * turnsPerDialogue, (dialogue + 1) * turnsPerDialogue),
	);
}

/** Asks the questions in one conversation, and each but the first alone. */
export async function laterAnswers<Q extends Question>(
	dialogue: readonly Q[],
	ask: (question: Question) => Promise<Answer>,
): Promise<LaterAnswer<Q>[]> {
	const history: ChatMessage[] = [];
	const later: LaterAnswer<Q>[] = [];
	for (const question of dialogue) {
		const answer = await ask({ messages: [...history, ...question.messages] });
		if (history.length > 0) later.push({ question, answer, alone: await ask(question) });
		history.push(...question.messages, { role: 'assistant', content: answer.text });
	}
	return later;
}

function coprime(from: number, to: number): number {
	const factor = (a: number, b: number): number => (b === 0 ? a : factor(b, a % b));
	let found = Math.max(1, from);
	while (factor(found, to) > 1) found++;
	return found;
}
