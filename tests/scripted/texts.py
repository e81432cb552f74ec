"""What the scripted server says: sentences with everything a token stream can hold."""

SENTENCES = (
    "The harbour was quiet when the first boats came in, and nobody spoke above a whisper.",
    "She counted the letters twice, found one missing, and began again from the last full stop.",
    "Two plus two is four; three times four is twelve; twelve less five leaves seven.",
    "A good answer names its source, says what it left out, and stops when it is done.",
    "Rain fell on the roof all night - soft, then hard, then soft again - until the morning.",
    "First open the window, then close the door, and only then light the lamp.",
    "The committee met on 14 March 2025 and agreed, by five votes to two, to wait.",
    "```python\ndef mean(values):\n    return sum(values) / len(values)\n```\nThat is all.",
    "Steps:\n1. Read the question.\n2. Find the number.\n\t- check its unit\n3. Write one line.\n",
    "校对者读到第一个不合适的字，就停下来，改好它，然后继续。",
    "海边的风很大，灯塔却一直亮着。明天会是晴天。",
    "Café, naïve, Straße and piñata keep their marks; so do Ελλάδα and Москва.",
    "Some faces: 😀 🙂 👩‍👩‍👧 🏳️‍🌈, and a flag 🇫🇷, each of several pieces.",
    "שלום means peace, and مرحبا means welcome; both run from right to left.",
    'If <b>this</b> & "that" look like markup, they are only text: <script>alert(1)</script>.',
    "No river is the same river twice, said the old man, and the child went to look again.",
)
