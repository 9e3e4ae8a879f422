/** How speech is transcribed: model and language are settings, the rest is remembered from the last recording. */

import type * as vscode from 'vscode';
import { defined } from '../../server/protocol/defined.ts';
import {
	type DictateParams,
	type TranscribeChoice,
	teamPrefix,
} from '../../server/protocol/index.ts';
import { setting, storeSetting } from '../settings.ts';

const rememberedKey = 'nearglot.transcribe';

/** What a recording starts with. */
export function transcribeChoice(remembered?: vscode.Memento): TranscribeChoice {
	const { english = false, speakers } =
		remembered?.get<Partial<TranscribeChoice>>(rememberedKey) ?? {};
	const model = setting('transcribe.model');
	const language = setting('transcribe.language');
	return { model, language, english, ...defined({ speakers }) };
}

/** Keeps what somebody chose for the recordings to come. */
export async function keepChoice(
	choice: TranscribeChoice,
	remembered: vscode.Memento,
): Promise<void> {
	const { model, language, english, speakers } = choice;
	await remembered.update(rememberedKey, { english, ...defined({ speakers }) });
	if (model !== setting('transcribe.model')) await storeSetting('transcribe.model', model);
	if (language !== setting('transcribe.language'))
		await storeSetting('transcribe.language', language);
}

/** Model and language of a dictation, which is heard on this computer: a team's model is not asked. */
export function dictationChoice(): Pick<DictateParams, 'model' | 'language'> {
	const { model, language } = transcribeChoice();
	return {
		...(model === '' || model.startsWith(teamPrefix) ? {} : { model }),
		...(language === '' ? {} : { language }),
	};
}
