/** Questions that may call a prompt of the workspace: its words go before what is attached. */

import type { ChatSession } from '../../server/protocol/index.ts';
import { selectionAttachment } from './attachSelection.ts';
import { lastTextEditor } from './lastTextEditor.ts';
import { fillPrompt, readPromptCall } from './promptFile.ts';
import { promptFiles } from './questionContext.ts';

/** Sends a question with the words of the prompt it calls, if it calls one. */
export async function sendQuestion(session: ChatSession, text: string): Promise<void> {
	const call = readPromptCall(text);
	const prompt = call && (await promptFiles()).find(({ name }) => name === call.name);
	if (!prompt) return session.send(text);
	const editor = lastTextEditor();
	const own = editor ? selectionAttachment() : undefined;
	const instruction = fillPrompt(prompt.words, {
		input: call.rest,
		selection: own?.text ?? '',
		file: own?.label ?? '',
	});
	await session.send(text, { instruction });
}
