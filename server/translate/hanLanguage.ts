/** The language of a text that is Chinese characters only: Chinese of one kind or the other, or Japanese. */

import type { DetectedLanguage } from './detectedLanguage.ts';

/** Characters as Japan alone writes them. */
const japanese =
	/[検変戻読売円気歩単桜価広駅払沢帰楽薬発実対応続総経済権観転伝込働畑辺択験険関歳渋様焼営厳覚従縦絵圧囲拡処剣図仮予効労勧県両収稲穏譲醸釈顕騒髪黒毎]/u;
/** Words of programs that are Japanese, though every character is Chinese as well. */
const japaneseWords =
	/^(?:検索|設定|削除|終了|保存|表示|非表示|編集|追加|開始|停止|選択|確認|共有|印刷|更新|完了|次|前|名前|日付|時間|件名|送信|受信|通知|権限|接続|切断|再起動|再試行|新規|新規作成|全選択|印刷|既定|閲覧|詳細|戻|適用|上書|置換|先週|今週|来週|午前|午後|\d+ ?(?:時間|週間)[前後]?)$/u;
/** Words of Taiwan whose characters are the same everywhere. */
const traditionalWords = /登入|登出|列印|使用者|取消|程式|支援|字型|封包|透過|回上一/u;
const simplifiedWords = /登出|取消|退出|保存|文字|使用|更改|密码|打印/u;
const cantonese = /[嘅咗嚟喺哋冇啲佢唔乜]/u;

/** Characters from which on Japanese would have shown its own letters. */
const longText = 12;

let converters:
	| Promise<Record<'simplify' | 'traditionalise', (text: string) => string>>
	| undefined;

async function load() {
	const [toCn, fromCn] = await Promise.all([import('opencc-js/t2cn'), import('opencc-js/cn2t')]);
	return {
		simplify: toCn.Converter({ from: 't', to: 'cn' }),
		traditionalise: fromCn.Converter({ from: 'cn', to: 't' }),
	};
}

/** @param likely Languages that a text of a few characters is rather in. */
export async function hanLanguage(
	text: string,
	likely: readonly string[],
): Promise<DetectedLanguage> {
	converters ??= load();
	const { simplify, traditionalise } = await converters;
	const traditional = changed(text, simplify(text));
	const simplified = changed(text, traditionalise(text));
	const han = [...text.matchAll(/\p{Script=Han}/gu)].length;
	const isShort = han < longText;
	if (cantonese.test(text) && traditional > 0) return certain('yue');
	if (!isShort) return certain(traditional > simplified ? 'zh-Hant' : 'zh-Hans');
	const scores = new Map([
		['zh-Hans', 0.5 + 2 * simplified - 3 * traditional],
		['zh-Hant', 0.35 + 2 * traditional - 3 * simplified],
		['ja', 0.2],
	]);
	const add = (language: string, more: number) =>
		scores.set(language, (scores.get(language) ?? 0) + more);
	const trimmed = text.trim();
	if (japanese.test(text)) add('ja', 3 + 3 * traditional + 2 * simplified);
	if (japaneseWords.test(trimmed)) add('ja', 0.5 + 2 * traditional + 2 * simplified);
	if (traditionalWords.test(text)) add('zh-Hant', 0.4);
	if (simplifiedWords.test(text)) add('zh-Hans', 0.2);
	for (const language of likely) if (scores.has(language)) add(language, 1.5);
	const positive = [...scores].map(([language, score]) => ({
		language,
		score: Math.max(0, score),
	}));
	const total = positive.reduce((sum, { score }) => sum + score, 0);
	const [first, ...others] = positive
		.map(({ language, score }) => ({ language, score: Math.round((100 * score) / total) / 100 }))
		.sort((a, b) => b.score - a.score);
	if (first === undefined) return certain('zh-Hans');
	return {
		language: first.language,
		// Japanese remains: a few of its words have none of its own letters.
		score: Math.min(0.95, first.score),
		alternatives: others.filter(({ score }) => score >= 0.1),
	};
}

const certain = (language: string): DetectedLanguage => ({ language, score: 1, alternatives: [] });

const changed = (text: string, other: string): number => {
	const characters = [...other];
	return [...text].filter((character, index) => character !== characters[index]).length;
};
