/** Reading aloud by the voices of the system; those of a service would send the text away. */

/** A voice of this computer for a language (any, for an empty one); `undefined` where there is none. */
export function voiceFor(language: string): SpeechSynthesisVoice | undefined {
	if (!('speechSynthesis' in window)) return undefined;
	const wanted = language.split('-')[0] ?? '';
	return speechSynthesis
		.getVoices()
		.find(({ localService, lang }) => localService && lang.startsWith(wanted));
}

/** Reads a text aloud, or falls silent when something is being read. */
export function readAloud(words: string, language: string): void {
	const wasSpeaking = speechSynthesis.speaking;
	speechSynthesis.cancel();
	const voice = voiceFor(language);
	if (wasSpeaking || !voice) return;
	const spoken = new SpeechSynthesisUtterance(words);
	spoken.lang = language || voice.lang;
	spoken.voice = voice;
	speechSynthesis.speak(spoken);
}
