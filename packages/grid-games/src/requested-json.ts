/** The form of an answer that prompts ask for. */
export const requestedJson =
  'Your response should be a valid JSON object in the following format:\n' +
  '{\n"thoughts": "{describe what you see and think about which action to choose}",\n"action": "{action}"\n}';
