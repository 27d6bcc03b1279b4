"""Makes the tokenizer of all-MiniLM-L6-v2 from that of the cross-encoder, which splits texts into the same pieces. Its authors' file,
byte for byte:

    python3 -I tokenizer.py SOURCE TARGET
"""

import json
import sys

if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        tokenizer = json.load(file)
    tokenizer["truncation"] = {"max_length": 128, "strategy": "LongestFirst", "stride": 0}
    tokenizer["padding"] = {
        "strategy": {"Fixed": 128}, "direction": "Right", "pad_to_multiple_of": None,
        "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]",
    }
    tokenizer["added_tokens"] = [{"id": token.pop("id"), "special": token.pop("special"), **token} for token in tokenizer["added_tokens"]]
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump(tokenizer, file, ensure_ascii=False, separators=(",", ":"))
